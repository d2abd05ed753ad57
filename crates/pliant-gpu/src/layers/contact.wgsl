// A contact between layers in memory, as six vectors:
//
// 0  the normal n, and the depth without offsets: depth = this − n·s, with s the weighted sum of the corners' offsets
// 1  how far it has slid without offsets, and the weight w of the law; slid = this + the part of s across the normal
// 2  weights of the corners
// 3  places of the corners, as bits
// 4  the multipliers: what friction pulls back, and what presses
// 5  the number of the other element, the share of each free corner in the energy, the target, unused

const RECORD = 6u;
