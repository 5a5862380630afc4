// What those that share a source assert is found by their names.
CREATE INDEX Assertion_sourceName IF NOT EXISTS FOR (n:Assertion) ON (n.sourceName)
