#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <spawn.h>

// Swift sees only what POSIX has of spawn.h; these are in every glibc from 2.34 on.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
