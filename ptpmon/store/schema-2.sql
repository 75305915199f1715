-- SPDX-License-Identifier: GPL-2.0-or-later
-- Version 2: what rolled-up hours keep apart, what a run costs, a view of the hours.

ALTER TABLE run ADD COLUMN data_bytes INTEGER;    -- that it added to the file
ALTER TABLE run ADD COLUMN written_bytes INTEGER; -- that it wrote to the disk, log and all; NULL: not known

DROP TABLE rollup; -- never had a row

CREATE TABLE rollup ( -- an hour of a series in one phase: what is left when its rows have aged out
	series INTEGER NOT NULL REFERENCES series,
	hour INTEGER NOT NULL,    -- mono_ns / 3600e9
	phase INTEGER NOT NULL,   -- 0: none
	from_mono_ns INTEGER NOT NULL, -- the first moment in it
	to_mono_ns INTEGER NOT NULL, -- the last: of a sample, or the end of a window
	count INTEGER NOT NULL,   -- offsets in the histogram; wake-ups, overflows included
	min INTEGER,
	max INTEGER,
	sum REAL NOT NULL,
	sum_squares REAL,         -- NULL for latency
	overflows INTEGER NOT NULL, -- wake-ups that the histogram has no bin for
	missed INTEGER NOT NULL,  -- updates unseen; periods slept through
	steps INTEGER NOT NULL,   -- samples with flag 1: not in count
	unlocked INTEGER NOT NULL, -- samples with flag 4: not in count
	histogram BLOB NOT NULL,  -- LEB128: step to the next bin, its count
	PRIMARY KEY (series, hour, phase)
) STRICT, WITHOUT ROWID;

CREATE VIEW hours AS
SELECT run, strftime('%Y-%m-%dT%H:%M:%S', at_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', at_ns % 1000000000) AS utc,
	kind, subject, coalesce(phase_name, '') AS phase, count, min, sum / nullif(count, 0) AS mean, max,
	overflows, missed, steps, unlocked, from_mono_ns, to_mono_ns
FROM (SELECT r.*, e.run, e.kind, e.subject,
	(SELECT p.name FROM phase AS p WHERE p.id = r.phase) AS phase_name,
	r.from_mono_ns + coalesce(
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run AND c.mono_ns <= r.from_mono_ns
			ORDER BY c.mono_ns DESC LIMIT 1),
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run ORDER BY c.mono_ns LIMIT 1)) AS at_ns
	FROM rollup AS r JOIN series AS e ON e.id = r.series);
