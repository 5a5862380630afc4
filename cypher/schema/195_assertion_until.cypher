// What sources ceased to state of lineage is read by time.
CREATE INDEX Assertion_until IF NOT EXISTS FOR (n:Assertion) ON (n.until)
