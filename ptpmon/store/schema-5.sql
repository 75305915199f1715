-- SPDX-License-Identifier: GPL-2.0-or-later
-- Version 5: a view of the clocks below ptp4l: PHCs as measured, and what phc2sys claims of what it steers.

CREATE VIEW phcs AS
SELECT run, strftime('%Y-%m-%dT%H:%M:%S', at_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', at_ns % 1000000000) AS utc,
	subject AS clock,
	CASE kind WHEN 'phc2sys' THEN 'claimed: clock - its source'
		ELSE 'measured: CLOCK_REALTIME - clock in UTC' END AS what,
	value_ns AS offset_ns, delay_ns, freq_ppb, flags & 4 <> 0 AS unlocked, mono_ns
FROM (SELECT s.*, e.run, e.kind, e.subject,
	s.mono_ns + coalesce(
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run AND c.mono_ns <= s.mono_ns
			ORDER BY c.mono_ns DESC LIMIT 1),
		(SELECT c.utc_ns - c.mono_ns FROM clock_map AS c
			WHERE c.run = e.run ORDER BY c.mono_ns LIMIT 1)) AS at_ns
	FROM sample AS s JOIN series AS e ON e.id = s.series
	WHERE e.kind IN ('sys_minus_phc', 'phc2sys'));
