//! The picture of one simulation, drawn into a texture that egui shows.

use eframe::egui::TextureId;
use eframe::egui_wgpu::RenderState;

use crate::draw::{Camera, Effort, FORMAT, Reading, Renderer, Target, best_samples};
use crate::protocol::{Frame, Layout};

pub(crate) struct Canvas {
    state: RenderState,
    samples: u32,
    renderer: Renderer,
    target: Option<(Target, TextureId)>,
    /// What the texture shows.
    drawn: Option<Camera>,
}

impl Canvas {
    pub(crate) fn new(state: &RenderState) -> Self {
        let effort = Effort::of(&state.adapter);
        let samples = if effort == Effort::Full { best_samples(&state.adapter, FORMAT) } else { 1 };
        let mut renderer = Renderer::new(&state.device, FORMAT, samples);
        renderer.set_effort(effort);
        Self { state: state.clone(), samples, renderer, target: None, drawn: None }
    }

    pub(crate) fn set_layout(&mut self, layout: &Layout) {
        self.renderer.set_layout(layout);
        self.drawn = None;
    }

    /// Returns whether the frame is of the layout.
    pub(crate) fn set_frame(&mut self, frame: &Frame) -> bool {
        let is_taken = self.renderer.set_frame(frame);
        if is_taken {
            self.drawn = None;
        }
        is_taken
    }

    /// The device turns out to be slow.
    pub(crate) fn spare_effort(&mut self) {
        self.renderer.set_effort(Effort::Little);
    }

    pub(crate) fn fits(&self) -> bool {
        self.renderer.fits()
    }

    /// The picture from a camera, drawn anew if it must be.
    pub(crate) fn show(&mut self, camera: &Camera, size: [u32; 2]) -> TextureId {
        let wanted = size.map(|side| side.clamp(1, self.state.device.limits().max_texture_dimension_2d));
        if self.target.as_ref().is_none_or(|(target, _)| target.size() != wanted) {
            let target = Target::new(&self.state.device, wanted, self.samples);
            let mut egui = self.state.renderer.write();
            let filter = wgpu::FilterMode::Linear;
            let id = match self.target.take() {
                Some((_, id)) => {
                    egui.update_egui_texture_from_wgpu_texture(&self.state.device, target.view(), filter, id);
                    id
                }
                None => egui.register_native_texture(&self.state.device, target.view(), filter),
            };
            self.target = Some((target, id));
            self.drawn = None;
        }
        let Some((target, id)) = &self.target else { return TextureId::default() };
        if self.drawn != Some(*camera) {
            let mut encoder = self.state.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            target.draw(&self.state.queue, &mut encoder, &mut self.renderer, camera);
            self.state.queue.submit([encoder.finish()]);
            self.drawn = Some(*camera);
        }
        *id
    }

    /// Draws a picture of some size, and asks for its pixels. `done` is called when they are there.
    pub(crate) fn read(
        &mut self,
        camera: &Camera,
        size: [u32; 2],
        done: impl FnOnce() + wgpu::WasmNotSend + 'static,
    ) -> Reading {
        let target = Target::new(&self.state.device, size, self.samples);
        let mut encoder = self.state.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        target.draw(&self.state.queue, &mut encoder, &mut self.renderer, camera);
        let mut reading = target.read(&self.state.device, &mut encoder);
        self.state.queue.submit([encoder.finish()]);
        reading.begin(done);
        // The uniforms now have the camera of this picture.
        self.drawn = None;
        reading
    }

    /// Lets answers from the GPU come in.
    pub(crate) fn poll(&self) {
        // It fails only when the device is lost, which eframe tells.
        let _ = self.state.device.poll(wgpu::PollType::Poll);
    }

    pub(crate) fn size(&self) -> [u32; 2] {
        self.target.as_ref().map_or([1, 1], |(target, _)| target.size())
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        if let Some((_, id)) = &self.target {
            self.state.renderer.write().free_texture(id);
        }
    }
}
