static inline long square(int i) {
    long wide = i;
    return wide * wide;
}
