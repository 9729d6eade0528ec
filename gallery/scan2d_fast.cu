// The summed-area table of gallery/scan2d.cu, several times as fast.
//
//     bankrun gallery/scan2d_fast.cu
//     scan2d_fast --time           on a GPU: against a copy of as many bytes
//
// What to look at: the passes over the image use no shared memory at all. The best cure of a
// conflict can be to not need the array: a warp keeps its column sums in registers on the way down
// and scans along a row with shuffles, so nothing has to be turned round. Only the small pass
// between them has a shared array, free of conflicts.
//
// bankrun counts  op    array  requests  wavefronts   ideal  degree
//   prefix_sums   load  parts    16,864      67,456  67,456       1
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

static void show_size(Show &show, size_t width, size_t height, bool is_timed) {
    std::vector<unsigned char> pixels(width * height);
    for (size_t i = 0; i < pixels.size(); i++)
        pixels[i] = (unsigned char)(scrambled(unsigned(i)) >> 24);
    Buffer<unsigned char> in(pixels);
    Buffer<fast::sum_t> out(pixels.size());
    fast::scan2d_plan plan;
    CHECK(fast::scan2d_create(&plan, width, height));
    char name[64];
    if (is_timed) {
        size_t half = pixels.size() * 9 / 2;
        Buffer<char> from(half), to(half);
        snprintf(name, sizeof name, "copy for %zu x %zu", width, height);
        show.kernel(
            name, [&] { CHECK(cudaMemcpyAsync(to, from, half, cudaMemcpyDeviceToDevice)); },
            [] { return 0; });
    }
    snprintf(name, sizeof name, "%zu x %zu", width, height);
    show.kernel(
        name, [&] { CHECK(fast::scan2d(plan, out, in)); },
        [&] { return count_wrong_sums(out, pixels, width); });
    CHECK(fast::scan2d_destroy(&plan));
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    if (argc > 1) {
        for (size_t side = 1024; side <= 16384; side *= 2)
            show_size(show, side, side, true);
        show_size(show, 4001, 3999, true);
        return show.status();
    }
    show_size(show, 256, 256, false);
    show_size(show, 470, 333, false);
    show_size(show, 471, 130, false);
    show_size(show, 1, 1, false);
    show_size(show, 1040, 33, false);
    show_size(show, 129, 300, false);
    return show.status();
}
