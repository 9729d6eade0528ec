#ifndef SIDES_CUH
#define SIDES_CUH
#define SIDE 32
#define PLACE const int x = threadIdx.x, y = threadIdx.y, t = y * SIDE + x
#endif // SIDES_CUH
