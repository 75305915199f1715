-- SPDX-License-Identifier: GPL-2.0-or-later
-- Version 4: a verdict says when it was given and by whom.

ALTER TABLE verdict ADD COLUMN mono_ns INTEGER;
ALTER TABLE verdict ADD COLUMN who TEXT;
