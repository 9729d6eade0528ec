__attribute__((address_space(3))) float tile[32][33];
__attribute__((address_space(4))) const int tab[4] = {1, 2, 3, 4};
struct P {
    int a;
    float *p;
};
extern int printf(const char *, ...);
static inline float hh(float *p, int i) {
    return p[i] * 2;
}
struct P gp = {3, 0};
int *gptr = &gp.a;
const char *names[] = {"a", "bcd"};
__attribute__((noinline)) int callee(int x, struct P p) {
    return x > 3 ? x * 3 : p.a;
}
int (*fp)(int, struct P) = callee;
void kern(float *o, struct P p) {
    int i = __nvvm_read_ptx_sreg_tid_x();
    tile[i][3] = hh(o, i);
    __nvvm_bar_sync(0);
    o[i] = tile[3][i] + callee(i, p) + fp(i, p) + tab[i & 3];
    printf("%d %f\n", i, (double)o[i]);
    switch (i) {
    case 0:
        o[3] = 1;
        break;
    case 1:
        o[4] = 2;
        break;
    case 2:
        o[1] = 5;
        break;
    case 3:
        o[7] = 9;
        break;
    case 4:
        o[8] = 3;
        break;
    case 5:
        o[19] = 7;
        break;
    }
}
