// Whether a copy is a difference from another one is asked before that is removed.
CREATE INDEX TextCopy_base IF NOT EXISTS FOR (n:TextCopy) ON (n.baseId)
