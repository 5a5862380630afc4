// Keeps what sources say of edges from now on.
UNWIND $rows AS row
CREATE (said:Assertion)
SET said = row.properties
RETURN row.at AS at
