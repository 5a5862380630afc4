// Creates assertions of sources about edges.
UNWIND $rows AS row
CREATE (said:Assertion)
SET said = row.properties
RETURN row.at AS at
