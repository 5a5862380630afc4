// Removes some columns of a staged node, and the node when it has no more. The lock is taken before it is looked whether the node has become a record meanwhile.
MATCH (n:Staged {stageId: $stageId})
SET n.locked = true
REMOVE n.locked
WITH n
WHERE n:Staged
WITH n, COLLECT { MATCH (n)-[:HAS_COLUMN]->(column:Column) RETURN column LIMIT toInteger($limit) } AS columns
WITH n, columns, size(columns) AS removed
FOREACH (column IN columns | DETACH DELETE column)
FOREACH (_ IN CASE WHEN removed < $limit THEN [1] ELSE [] END | DETACH DELETE n)
RETURN removed
