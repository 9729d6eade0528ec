// The summed-area table of gallery/scan2d.cu, several times as fast: in one pass, at most of the
// speed of a copy.
//
//     bankrun gallery/scan2d_fast.cu
//     scan2d_fast --time           on a GPU: against a copy of as many bytes
//
// What to look at: no load and no store conflicts. Columns are never walked: a warp keeps their
// sums in registers on the way down.
//
// - Pixels are copied to shared memory in 16 bytes, wherever rows begin, and read in words that
//   begin where the row does: neighbours still. Sums of what is above are stored 16 bytes a lane
//   where a lane has 32: a store takes the first half of one lane's and the second of another's,
//   chosen so that eight lanes meet in no bank (keep_columns).
// - Where rows begin anywhere those copies take more wavefronts than they would have to:
//   cp.async.ca goes by the addresses of both sides, cp.async.cg does not. Still it is 1 to 2 %
//   faster here, for neighbours find the sectors that they share in the first-level cache, and
//   nobody waits for wavefronts of copies. They are work for one part of the machine, not time.
// - Four rows go through a warp together, from lane to lane by shuffles. Shared memory would take
//   them as well, but a load there waits behind the stores that the warp sent out before it.
//
// bankrun counts                            op          array   requests  wavefronts   ideal  degree
//   scan_tiles<scan_shape<1, 16, 4, 0>, 0>  load        memory     6,390       9,846   9,846       1
//   scan_tiles<scan_shape<1, 16, 4, 0>, 0>  async_copy  memory       288       1,379   1,152       2
//   scan_tiles<scan_shape<1, 16, 4, 0>, 1>  load        memory    44,226      61,785  61,785       1
//   scan_tiles<scan_shape<1, 16, 4, 0>, 1>  async_copy  memory     2,914      12,561   8,742       4
//   scan_tiles<scan_shape<1, 20, 4, 0>, 1>  load        memory     3,648       5,088   5,088       1
//   scan_tiles<scan_shape<1, 20, 4, 0>, 1>  async_copy  memory       240       1,015     720       4
//   scan_tiles<scan_shape<2, 8, 8, 0>, 0>   load        memory     3,564       4,926   4,926       1
//   scan_tiles<scan_shape<2, 8, 8, 0>, 0>   async_copy  memory       216       1,063     864       2
//   scan_tiles<scan_shape<2, 8, 8, 0>, 1>   load        memory     5,397       6,768   6,768       1
//   scan_tiles<scan_shape<2, 8, 8, 0>, 1>   async_copy  memory       342       1,866   1,254       3
//   scan_tiles<scan_shape<4, 4, 8, 1>, 0>   load        memory     9,250      13,002  13,002       1
//   scan_tiles<scan_shape<4, 4, 8, 1>, 0>   async_copy  memory       528       2,473   2,112       2
//   scan_tiles<scan_shape<4, 4, 8, 1>, 1>   load        memory    12,804      16,582  16,582       1
//   scan_tiles<scan_shape<4, 4, 8, 1>, 1>   async_copy  memory       792       4,056   2,904       3
#include "gallery.cuh"
#include "lib/scan2d.cuh"

static size_t count_wrong_sums(const Buffer<fast::sum_t> &out,
                               const std::vector<unsigned char> &pixels, size_t width) {
    std::vector<fast::sum_t> sums = out.read(), above(width);
    size_t wrong = 0;
    for (size_t top = 0; top < pixels.size(); top += width) {
        fast::sum_t line = 0;
        for (size_t x = 0; x < width; x++) {
            line += pixels[top + x] * pixels[top + x];
            above[x] += line; // the finished sums of this line
            wrong += sums[top + x] != above[x];
        }
    }
    return wrong;
}

static void show_plan(Show &show, fast::scan2d_plan &plan, size_t width, size_t height,
                      const char *note) {
    std::vector<unsigned char> pixels(width * height);
    for (size_t i = 0; i < pixels.size(); i++)
        pixels[i] = (unsigned char)(scrambled(unsigned(i)) >> 24);
    Buffer<unsigned char> in(pixels);
    Buffer<fast::sum_t> out(pixels.size());
    char name[64];
    snprintf(name, sizeof name, "%zu x %zu%s", width, height, note);
    show.kernel(
        name, [&] { CHECK(fast::scan2d(plan, out, in)); },
        [&] { return count_wrong_sums(out, pixels, width); });
    CHECK(fast::scan2d_destroy(&plan));
}

static void show_size(Show &show, size_t width, size_t height) {
    fast::scan2d_plan plan;
    CHECK(fast::scan2d_create(&plan, width, height));
    show_plan(show, plan, width, height, "");
}

// Cut as images of some millions of pixels are, or in strips, as larger ones, into 3 x 2 tiles.
template <class Shape>
static void show_cut(Show &show, size_t width, size_t height, unsigned strips, unsigned shifts,
                     const char *note) {
    fast::scan2d_plan plan;
    CHECK(fast::scan2d_create_as<Shape>(
        &plan, fast::scan2d_cut<Shape>(width, height, strips, 3, 2, shifts)));
    show_plan(show, plan, width, height, note);
}

// As many bytes as a scan has to move, of whole pages: there a copy is the fastest.
static void show_copy(Show &show, size_t width, size_t height) {
    size_t half = width * height * 9 / 2 / 4096 * 4096;
    Buffer<char> from(half), to(half);
    char name[64];
    snprintf(name, sizeof name, "copy for %zu x %zu", width, height);
    show.kernel(
        name, [&] { CHECK(cudaMemcpyAsync(to, from, half, cudaMemcpyDeviceToDevice)); },
        [] { return 0; });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    if (argc > 1) {
        for (size_t side = 1024; side <= 16384; side *= 2) {
            show_copy(show, side, side);
            show_size(show, side, side);
        }
        show_copy(show, 4001, 3999);
        show_size(show, 4001, 3999);
        return show.status();
    }
    show_size(show, 256, 256);
    show_size(show, 472, 333);
    show_size(show, 471, 130);
    show_size(show, 1, 1);
    show_size(show, 129, 300);
    typedef fast::scan_shape<1, 20, 4> twenty;
    typedef fast::scan_shape<2, 8, 8> medium;
    typedef fast::scan_shape<4, 4, 8, 1> large;
    show_cut<twenty>(show, 300, 137, 1, 1, ", 20 warps");
    show_cut<medium>(show, 528, 130, 1, 1, ", medium tiles");
    show_cut<medium>(show, 517, 131, 1, 4, ", medium tiles");
    show_cut<large>(show, 1040, 100, 3, 1, ", three strips");
    show_cut<large>(show, 1037, 101, 3, 4, ", three strips");
    return show.status();
}
