// Creates nodes as the archive keeps them and answers the ids that they have now.
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
RETURN elementId(n) AS id
