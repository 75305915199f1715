/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/latency.h"

#include <errno.h>
#include <sys/socket.h>

static void dispatch(struct latency_source *s, const uint8_t *message, size_t len)
{
	struct latency_window window;
	struct latency_conditions conditions;

	if (window_decode(message, len, &window) == 0)
		s->on_window(s->userdata, &window);
	else if (window_decode_conditions(message, len, &conditions) == 0)
		s->on_conditions(s->userdata, &conditions);
	else
		s->malformed++;
}

int latency_receive(struct latency_source *s)
{
	for (int i = 0; i < LATENCY_BATCH_MAX; i++) {
		uint8_t message[WINDOW_MESSAGE_MAX];
		/* MSG_TRUNC: the length it had, also if that is more than there is room for */
		ssize_t n = recv(s->fd, message, sizeof(message), MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		if (n == 0)
			return LATENCY_SAMPLER_GONE;
		if ((size_t)n > sizeof(message))
			s->malformed++;
		else
			dispatch(s, message, (size_t)n);
	}
	return 0;
}
