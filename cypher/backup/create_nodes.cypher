// Creates nodes from an archive and returns their new ids.
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
RETURN elementId(n) AS id
