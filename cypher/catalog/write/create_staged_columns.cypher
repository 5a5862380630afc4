// Writes a piece of the columns of a record that will be created, once, below a node that nobody finds.
MERGE (n:Staged {stageId: $stageId})
ON CREATE SET n.pieces = 0, n.at = timestamp()
WITH n
WHERE n.pieces = $piece
SET n.pieces = n.pieces + 1
WITH n
UNWIND $columns AS column
CREATE (n)-[:HAS_COLUMN {position: column[0]}]->(:Column {
  section: column[1],
  key: $recordId + column[2],
  name: column[3],
  fullyQualifiedName: $fqn + column[4],
  dataType: column[5]
})
RETURN count(*) AS staged
