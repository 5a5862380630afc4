// Everything that was ever said of one edge of lineage is found together.
CREATE INDEX Assertion_edge IF NOT EXISTS FOR (n:Assertion) ON (n.edgeId)
