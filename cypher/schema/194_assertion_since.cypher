// What sources began to state of lineage is read by time.
CREATE INDEX Assertion_since IF NOT EXISTS FOR (n:Assertion) ON (n.since)
