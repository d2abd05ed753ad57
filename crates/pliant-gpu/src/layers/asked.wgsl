// Whether a pass has anything to do: the first one always, a later one if pairs were left open by the one before, the last one if nothing else has helped.
fn is_asked_for(pass_number: u32) -> bool {
    if (pass_number == 0u) {
        return true;
    }
    let crowded = status_of(STATUS_CROWDED) > 0u;
    if (pass_number == LAST_PASS) {
        return crowded || status_of(STATUS_UNPROVED) > 0u;
    }
    return !crowded && status_of(STATUS_OPEN + pass_number - 1u) > 0u;
}
