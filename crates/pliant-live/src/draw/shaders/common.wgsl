// What all shaders share: the view, the light that arrives at a point, and the colour that it has on a screen.

struct View {
    // From the world to the picture, or to a depth map.
    projection: mat4x4<f32>,
    // From the world to the depth map of the light, and to that of the sky.
    light_map: mat4x4<f32>,
    sky_map: mat4x4<f32>,
    // The eye; w: the size of a pixel at unit distance [m], 0 in a parallel projection.
    eye: vec4<f32>,
    // Directions of the picture; the w of `forward`: the size of a pixel in a parallel projection [m].
    right: vec4<f32>,
    up: vec4<f32>,
    forward: vec4<f32>,
    // What the camera looks at; w: the length to which distances are compared [m].
    center: vec4<f32>,
    // Towards the lamp; w: its brightness.
    light: vec4<f32>,
    // Of the depth map of the light: its width [m], its depth [m], the side of a sample [m], 1 if there is one.
    light_size: vec4<f32>,
    sky_size: vec4<f32>,
    // Linear; w: height [m].
    ground: vec4<f32>,
    // Linear; w: spacing of the lines on the ground [m].
    horizon: vec4<f32>,
    // Linear; w: brightness of the sky.
    zenith: vec4<f32>,
    // 1 if colours show values; 1 if the target encodes sRGB by itself; samples per pixel; 1 for full effort.
    flags: vec4<f32>,
    // Colours from the lowest value to the highest, linear.
    colors: array<vec4<f32>, 64>,
}

@group(0) @binding(0) var<uniform> view: View;

fn linear_from_srgb(color: vec3<f32>) -> vec3<f32> {
    return select(pow((color + 0.055) / 1.055, vec3(2.4)), color / 12.92, color <= vec3(0.04045));
}

fn srgb_from_linear(light: vec3<f32>) -> vec3<f32> {
    return select(1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, 12.92 * light, light <= vec3(0.0031308));
}

// From the viewer to a point, of unit length.
fn ray_to(position: vec3<f32>) -> vec3<f32> {
    if view.eye.w == 0.0 {
        return view.forward.xyz;
    }
    return normalize(position - view.eye.xyz);
}

// The size of a pixel at a point [m].
fn pixel_at(position: vec3<f32>) -> f32 {
    return view.eye.w * max(dot(position - view.eye.xyz, view.forward.xyz), 0.0) + view.forward.w;
}

// The colour of a value from 0 to 1; below 0 it is not a number.
fn mapped(value: f32) -> vec3<f32> {
    if value < -0.001 {
        return vec3(0.3);
    }
    let place = clamp(value, 0.0, 1.0) * 63.0;
    let left = min(u32(place), 62u);
    return mix(view.colors[left].rgb, view.colors[left + 1u].rgb, place - f32(left));
}

// Colour of a body: its own, or that of its value.
fn hue(own: vec3<f32>, value: f32, is_valued: f32) -> vec3<f32> {
    if view.flags.x > 0.5 && is_valued > 0.5 {
        return mapped(value);
    }
    return linear_from_srgb(own);
}
