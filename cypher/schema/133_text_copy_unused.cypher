// Copies that nothing needs any more are found by the time since when.
CREATE INDEX TextCopy_unused IF NOT EXISTS FOR (n:TextCopy) ON (n.unusedAt)
