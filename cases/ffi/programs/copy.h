#ifndef COPY_H
#define COPY_H

/* A new copy of `length` numbers, which the caller frees. NULL where there is no memory. */
double *copy_numbers(const double *from, int length);

/* The same memory, with nothing written to it. */
double *allocate_numbers(const double *from, int length);

/* The same copy, into memory that the caller has. */
void copy_numbers_into(double *to, const double *from, int length);

/* Nothing at all. */
void nothing(void);

/* Has `pieces` blocks of so many numbers written to and freed again, below another block of the
   same heap, so that malloc keeps their memory. That other one is the result, and the caller frees
   it; NULL where there is no memory. */
void *leave_a_hole(int pieces, int length);

/* Frees like free(), and counts. */
void free_and_count(void *block);
long frees_so_far(void);

/* How many page faults that needed no disk this process has had; below 0 where nobody knows. */
long minor_faults(void);

#endif
