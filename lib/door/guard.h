/* What belongs to the whole process while the library computes: GSL's error handler, and the threads
 * of OpenBLAS. */
#ifndef DOOR_GUARD_H
#define DOOR_GUARD_H

/* The first to come in sets the handler off and OpenBLAS to one thread, the last to leave sets both
 * as the first has found them. Every door_guard_enter has its door_guard_leave, in any thread. */
void door_guard_enter(void);
void door_guard_leave(void);

#endif
