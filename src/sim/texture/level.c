// Levels of detail from gradients, and the faces of cubes.
#include <math.h>
#include <stdbool.h>

#include "sim/texture/object.h"

// An H200 approximates the length of a vector.
static double length(double x, double y, double z) {
    double most = fmax(fmax(x, y), z), least = fmin(fmin(x, y), z);
    return most + (x + y + z - most - least) * (11.0 / 32) + least / 4;
}

// The longer axis of the ellipse that the gradients span, approximately.
static double extent(const float dx[3], const float dy[3], unsigned axes) {
    double a[4][3] = {{0}};
    for (unsigned i = 0; i < axes; i++) {
        a[0][i] = fabs((double)dx[i]);
        a[1][i] = fabs((double)dy[i]);
        a[2][i] = fabs((double)dx[i] + dy[i]);
        a[3][i] = fabs((double)dx[i] - dy[i]);
    }
    double straight = fmax(length(a[0][0], a[0][1], a[0][2]), length(a[1][0], a[1][1], a[1][2]));
    double slanted = fmax(length(a[2][0], a[2][1], a[2][2]), length(a[3][0], a[3][1], a[3][2]));
    return fmax(straight, slanted * (11.0 / 16));
}

int32_t sim_gradient_level(const float dx[3], const float dy[3], unsigned axes) {
    double size = extent(dx, dy, axes);
    if (!(size > 0))
        return -1000000;
    if (isinf(size))
        return 1000000;
    int exponent;
    double mantissa = frexp(size, &exponent) * 2; // 1 to 2
    int step = (int)((mantissa - 1) * 256);
    int part = step ? (int)floor(256 * log2(1 + (step + 0.5) / 256) + 0.5) : 0;
    return (exponent - 1) * 256 + part;
}

// From -1 .. 1 to 0 .. 1, cut to 21 bits.
static float on_face(float x) {
    return (float)floor(((double)x + 1) * 0x1p20) * 0x1p-21f;
}

// Where the axes of each face lie, and whether they run backwards.
struct face {
    int s, t, major;
    bool s_back, t_back, major_back;
};
static const struct face faces[6] = {
    {2, 1, 0, true, true, false}, {2, 1, 0, false, true, true},  {0, 2, 1, false, false, false},
    {0, 2, 1, false, true, true}, {0, 1, 2, false, true, false}, {0, 1, 2, true, true, true},
};

static float turned(float x, bool is_back) {
    return is_back ? -x : x;
}

unsigned sim_cube_face(const float direction[3], float at[2]) {
    float x = fabsf(direction[0]), y = fabsf(direction[1]), z = fabsf(direction[2]);
    int major = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    unsigned number = 2 * (unsigned)major + (direction[major] < 0);
    const struct face *face = &faces[number];
    float inverse = 1 / fabsf(direction[major]); // the products are not always 1 on an edge
    at[0] = on_face(turned(direction[face->s], face->s_back) * inverse);
    at[1] = on_face(turned(direction[face->t], face->t_back) * inverse);
    return number;
}

void sim_cube_gradient(unsigned number, const float direction[3], const float along[3],
                       float out[3]) {
    const struct face *face = &faces[number];
    float m = fabsf(direction[face->major]);
    float dm = turned(along[face->major], face->major_back);
    float s = turned(direction[face->s], face->s_back),
          t = turned(direction[face->t], face->t_back);
    out[0] = (turned(along[face->s], face->s_back) - s / m * dm) / m / 2;
    out[1] = (turned(along[face->t], face->t_back) - t / m * dm) / m / 2;
    out[2] = 0;
}

// A texel one step outside of a face lies on the next face, or nowhere, in a corner. In halves of
// texels from the middle of the cube.
bool sim_cube_neighbour(uint32_t size, unsigned *number, int64_t at[2]) {
    const int64_t edge = size;
    bool is_out[2] = {at[0] < 0 || at[0] >= edge, at[1] < 0 || at[1] >= edge};
    if (is_out[0] && is_out[1])
        return false;
    if (!is_out[0] && !is_out[1])
        return true;
    const struct face *face = &faces[*number];
    int64_t place[3], s = 2 * at[0] + 1 - edge, t = 2 * at[1] + 1 - edge;
    place[face->s] = face->s_back ? -s : s;
    place[face->t] = face->t_back ? -t : t;
    place[face->major] = face->major_back ? 1 - edge : edge - 1;
    int major = is_out[0] ? face->s : face->t;
    *number = 2 * (unsigned)major + (place[major] < 0);
    face = &faces[*number];
    at[0] = ((face->s_back ? -place[face->s] : place[face->s]) + edge - 1) / 2;
    at[1] = ((face->t_back ? -place[face->t] : place[face->t]) + edge - 1) / 2;
    return true;
}
