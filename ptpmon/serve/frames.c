// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/serve/frames.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { READ_BYTES = 16 * 1024 };

static bool is_transient(int error)
{
	return error == EAGAIN || error == EINTR;
}

/* Drops the first n octets of b. */
static void consume(struct strbuf *b, size_t n)
{
	if (!n)
		return;
	b->len -= n;
	memmove(b->text, b->text + n, b->len);
}

int frames_receive(struct frames *f)
{
	char bytes[READ_BYTES];
	ssize_t n = recv(f->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n < 0)
		return is_transient(errno) ? 0 : -errno;
	if (n == 0)
		f->ended = true;
	consume(&f->in, f->taken);
	f->taken = 0;
	strbuf_add_bytes(&f->in, bytes, (size_t)n);
	if (f->in.failed)
		return -ENOMEM;
	if (f->in.len >= f->in_max && !memchr(f->in.text, '\0', f->in_max))
		return -EMSGSIZE;
	return 0;
}

bool frames_waiting(const struct frames *f)
{
	size_t len = f->in.len - f->taken;

	return len && memchr(f->in.text + f->taken, '\0', len);
}

const char *frames_next(struct frames *f, size_t *len)
{
	const char *text;

	if (!frames_waiting(f))
		return NULL;
	text = f->in.text + f->taken;
	*len = strlen(text);
	f->taken += *len + 1;
	return text;
}

int frames_put(struct frames *f, const char *text)
{
	consume(&f->out, f->sent);
	f->sent = 0;
	strbuf_add_bytes(&f->out, text, strlen(text) + 1);
	return f->out.failed ? -ENOMEM : 0;
}

int frames_flush(struct frames *f)
{
	while (frames_unsent(f)) {
		ssize_t n = send(f->fd, f->out.text + f->sent, frames_unsent(f),
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0)
			return is_transient(errno) ? 0 : -errno;
		f->sent += (size_t)n;
	}
	/* an idle connection holds no memory for the largest answer it ever got */
	strbuf_clear(&f->out);
	f->sent = 0;
	return 0;
}

size_t frames_unsent(const struct frames *f)
{
	return f->out.len - f->sent;
}

void frames_clear(struct frames *f)
{
	strbuf_clear(&f->in);
	strbuf_clear(&f->out);
	f->taken = 0;
	f->sent = 0;
}
