// The summed-area table of gallery/scan2d.cu, several times as fast: in one pass, at most of the
// speed of a copy.
//
//     bankrun gallery/scan2d_fast.cu
//     scan2d_fast --time           on a GPU: against a copy of as many bytes
//
// What to look at: no load and no store conflicts. Columns are never walked: a warp keeps their
// sums in registers on the way down.
//
// - whole_tiles copies pixels to shared memory in 16 bytes, wherever rows begin, and reads words
//   that begin where the row does: neighbours still. Sums of what is above are stored 16 bytes a
//   lane where a lane has 32: a store takes the first half of one lane's and the second of
//   another's, chosen so that eight lanes meet in no bank (collect_columns).
// - Where rows begin anywhere those copies take more wavefronts than they would have to:
//   cp.async.ca goes by the addresses of both sides, cp.async.cg does not. Still it is 1 to 2 %
//   faster here, for neighbours find the sectors that they share in the first-level cache, and
//   nobody waits for wavefronts of copies. They are work for one part of the machine, not time.
// - scan_tiles hands its first sums from the lanes that added them up to those that write them
//   through shared memory. A lane stores two pairs of 16 bytes, and stores of every second pair
//   would meet in half of the banks: place_of swaps the pairs of every second group of eight, which
//   cures the stores and spares the loads. Lines then go from lane to lane by shuffles: that takes
//   fewer wavefronts than shared memory did, although nothing conflicted there.
//
// bankrun counts                           op          array   requests  wavefronts   ideal  degree
//   whole_tiles<whole_shape<1, 16, 4>, 0>  async_copy  memory       128         512     512       1
//   whole_tiles<whole_shape<1, 16, 4>, 0>  load        memory     2,712       4,248   4,248       1
//   whole_tiles<whole_shape<1, 16, 4>, 1>  async_copy  memory     1,503       6,501   4,372       4
//   whole_tiles<whole_shape<1, 16, 4>, 1>  load        memory    21,151      29,244  29,244       1
//   whole_tiles<whole_shape<2, 8, 8>, 0>   load        memory     4,392       6,073   6,073       1
//   whole_tiles<whole_shape<2, 8, 8>, 0>   async_copy  memory       288       1,414   1,152       2
//   whole_tiles<whole_shape<2, 8, 8>, 1>   load        memory     6,587       8,275   8,275       1
//   whole_tiles<whole_shape<2, 8, 8>, 1>   async_copy  memory       432       2,353   1,556       3
//   scan_tiles<large_tiles, 0>             load        memory     7,311      15,681  15,681       1
//   scan_tiles<large_tiles, 1>             load        memory    18,522      26,892  26,892       1
#include "gallery.cuh"
#include "lib/scan2d.cuh"

// The shape for large images, at sizes at which it has everything: blocks that run ahead, and
// bands.
struct large_tiles : fast::scan_large {
    static constexpr int BAND = 2, LEAD = 3;
};

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

// Tiles for images of some millions of pixels, as if there were no room for smaller ones.
static void show_medium(Show &show, size_t width, size_t height, unsigned shifts) {
    typedef fast::whole_shape<2, 8, 8> medium;
    fast::scan2d_plan plan;
    CHECK(fast::scan2d_create_whole<medium>(&plan,
                                            fast::scan2d_cut<medium>(width, height, 6, shifts)));
    show_plan(show, plan, width, height, ", medium tiles");
}

static void show_large(Show &show, size_t width, size_t height, unsigned shifts) {
    fast::scan2d_plan plan;
    CHECK(fast::scan2d_create_as<large_tiles>(&plan, width, height, shifts));
    show_plan(show, plan, width, height, ", large tiles");
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
    show_medium(show, 528, 130, 1);
    show_medium(show, 517, 131, 4);
    show_large(show, 520, 330, 1);
    show_large(show, 517, 331, 16);
    return show.status();
}
