// The columns that an edge of lineage joins are found by it.
CREATE INDEX Derives_edge IF NOT EXISTS FOR ()-[e:DERIVES]-() ON (e.edgeId)
