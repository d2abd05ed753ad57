struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) value: f32,
    @location(3) front: vec4<f32>,
    @location(4) back: vec4<f32>,
}

@vertex
fn vertex(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) value: f32,
    @location(3) front: vec4<f32>,
    @location(4) back: vec4<f32>,
) -> Corner {
    return Corner(view.projection * vec4(position, 1.0), position, normal, value, front, back);
}
// PAINT
@fragment
fn fragment(corner: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let own = select(corner.back.rgb, corner.front.rgb, is_front);
    let albedo = hue(own, corner.value, corner.back.a);
    let length = max(length(corner.normal), 1e-9);
    let normal = corner.normal / select(-length, length, is_front);
    let light = lit(albedo, corner.front.a, corner.position, normal, corner.clip.xy);
    return vec4(display(light, corner.clip.xy), 1.0);
}
