-- SPDX-License-Identifier: GPL-2.0-or-later
-- Version 1 of ptpmon's record. All times ending in mono_ns are CLOCK_MONOTONIC of the run's boot;
-- clock_map says what the wall clock showed. NULL is "not known", never zero.

CREATE TABLE run ( -- one recording, on one boot
	id INTEGER PRIMARY KEY,
	token TEXT NOT NULL,      -- names the run of the service: a recorder started again goes on
	boot_id TEXT NOT NULL,
	start_mono_ns INTEGER NOT NULL,
	end_mono_ns INTEGER,      -- NULL: still recording, or killed
	how TEXT,                 -- how it ended: stopped, ...
	label TEXT,
	host TEXT,
	kernel TEXT,
	machine TEXT,
	version TEXT,             -- ptpmon's
	ptp4l_version TEXT,
	configuration TEXT,
	board TEXT,               -- JSON
	-- How a time range is found without an index: the run's rows begin at these ids, and none
	-- stands behind one that is later (a window: that starts later) by more than late_ns.
	first_sample INTEGER NOT NULL,
	sample_late_ns INTEGER NOT NULL DEFAULT 0,
	first_latency INTEGER NOT NULL,
	latency_late_ns INTEGER NOT NULL DEFAULT 0,
	latency_longest_ns INTEGER NOT NULL DEFAULT 0 -- window
) STRICT;

CREATE TABLE clock_map ( -- the clocks at one moment: at the start, each minute, after each step
	run INTEGER NOT NULL REFERENCES run,
	mono_ns INTEGER NOT NULL,
	raw_ns INTEGER NOT NULL,  -- CLOCK_MONOTONIC_RAW
	utc_ns INTEGER NOT NULL,  -- CLOCK_REALTIME
	tai_offset_s INTEGER,     -- the kernel's TAI - UTC
	phc TEXT,
	phc_ns INTEGER,
	uncertainty_ns INTEGER NOT NULL,
	reason TEXT NOT NULL,     -- start, periodic, step
	PRIMARY KEY (run, mono_ns)
) STRICT, WITHOUT ROWID;

CREATE TABLE series ( -- one measured quantity of a run
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	kind TEXT NOT NULL,       -- offset (local minus master), latency, ...
	source TEXT NOT NULL,     -- who measured it
	subject TEXT NOT NULL,    -- port, clock or CPU
	unit TEXT NOT NULL,
	UNIQUE (run, kind, source, subject)
) STRICT;

CREATE TABLE sample ( -- append-only, without an index: see run
	id INTEGER PRIMARY KEY,
	series INTEGER NOT NULL,
	mono_ns INTEGER NOT NULL,
	value_ns INTEGER NOT NULL, -- in the series' unit, where that is not ns
	delay_ns INTEGER,         -- mean path delay
	freq_ppb REAL,
	servo INTEGER,
	flags INTEGER NOT NULL,   -- 1 the servo stepped, 2 mono_ns assumed, 4 port not SLAVE
	missed INTEGER NOT NULL   -- updates between the sample before and this one, unseen
) STRICT;

CREATE TABLE latency ( -- wake-ups of one CPU over about a second; append-only, without an index
	id INTEGER PRIMARY KEY,
	series INTEGER NOT NULL,
	start_mono_ns INTEGER NOT NULL,
	length_ns INTEGER NOT NULL,
	count INTEGER NOT NULL,   -- wake-ups, overflows included
	min_ns INTEGER,
	sum_ns INTEGER NOT NULL,
	max_ns INTEGER,
	overflows INTEGER NOT NULL,
	missed INTEGER NOT NULL,  -- periods slept through: not in count
	histogram BLOB NOT NULL   -- LEB128: step to the next bin, its count
) STRICT;

CREATE TABLE phase (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	name TEXT NOT NULL,
	start_mono_ns INTEGER NOT NULL,
	end_mono_ns INTEGER       -- NULL: still in it, or killed in it
) STRICT;

CREATE TABLE rollup ( -- an hour of a series: what is left when its rows have aged out
	series INTEGER NOT NULL REFERENCES series,
	hour INTEGER NOT NULL,    -- mono_ns / 3600e9
	count INTEGER NOT NULL,
	min INTEGER,
	max INTEGER,
	sum REAL NOT NULL,
	sum_squares REAL NOT NULL,
	histogram BLOB NOT NULL,
	PRIMARY KEY (series, hour)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	mono_ns INTEGER NOT NULL,
	severity TEXT NOT NULL,
	code TEXT NOT NULL,
	subject TEXT NOT NULL,
	text TEXT NOT NULL,
	detail TEXT               -- a JSON object
) STRICT;

CREATE TABLE mark (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	mono_ns INTEGER NOT NULL,
	text TEXT NOT NULL,
	who TEXT NOT NULL
) STRICT;

CREATE TABLE verdict ( -- one criterion of a qualification
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	plan TEXT NOT NULL,
	phase TEXT,
	criterion TEXT NOT NULL,
	limit_value REAL,
	measured REAL,
	pass INTEGER,             -- NULL: inconclusive
	reason TEXT
) STRICT;

-- For people. The wall clock of a moment is told by the last clock_map row at or before it; of one
-- before all rows, by the first.

CREATE VIEW runs AS
SELECT id, label,
	strftime('%Y-%m-%dT%H:%M:%S', start_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', start_ns % 1000000000) AS start_utc,
	strftime('%Y-%m-%dT%H:%M:%S', end_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', end_ns % 1000000000) AS end_utc,
	coalesce(how, 'not ended') AS how, host, kernel, version, ptp4l_version
FROM (SELECT r.*,
	r.start_mono_ns + (SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
		WHERE c.run = r.id ORDER BY c.mono_ns LIMIT 1) AS start_ns,
	r.end_mono_ns + (SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
		WHERE c.run = r.id AND c.mono_ns <= r.end_mono_ns
		ORDER BY c.mono_ns DESC LIMIT 1) AS end_ns
	FROM run AS r);

CREATE VIEW offsets AS
SELECT run, strftime('%Y-%m-%dT%H:%M:%S', at_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', at_ns % 1000000000) AS utc,
	subject AS port, source, value_ns AS offset_ns, delay_ns, missed,
	flags & 1 <> 0 AS step, flags & 4 <> 0 AS unlocked, mono_ns
FROM (SELECT s.*, e.run, e.subject, e.source,
	s.mono_ns + coalesce(
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run AND c.mono_ns <= s.mono_ns
			ORDER BY c.mono_ns DESC LIMIT 1),
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run ORDER BY c.mono_ns LIMIT 1)) AS at_ns
	FROM sample AS s JOIN series AS e ON e.id = s.series WHERE e.kind = 'offset');

CREATE VIEW latencies AS
SELECT run, strftime('%Y-%m-%dT%H:%M:%S', at_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', at_ns % 1000000000) AS utc,
	subject AS cpu, count, min_ns, sum_ns / nullif(count, 0) AS avg_ns, max_ns,
	overflows, missed, start_mono_ns, length_ns
FROM (SELECT l.*, e.run, e.subject,
	l.start_mono_ns + coalesce(
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run AND c.mono_ns <= l.start_mono_ns
			ORDER BY c.mono_ns DESC LIMIT 1),
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run ORDER BY c.mono_ns LIMIT 1)) AS at_ns
	FROM latency AS l JOIN series AS e ON e.id = l.series);

CREATE VIEW events AS
SELECT run, strftime('%Y-%m-%dT%H:%M:%S', at_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', at_ns % 1000000000) AS utc,
	severity, code, subject, text, detail, mono_ns
FROM (SELECT v.*,
	v.mono_ns + coalesce(
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = v.run AND c.mono_ns <= v.mono_ns
			ORDER BY c.mono_ns DESC LIMIT 1),
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = v.run ORDER BY c.mono_ns LIMIT 1)) AS at_ns
	FROM event AS v)
ORDER BY run, mono_ns;
