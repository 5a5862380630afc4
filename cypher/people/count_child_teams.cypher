// Counts the direct child teams of teams.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { (n)-[:PARENT_OF]->(t:Team WHERE NOT t.deleted) } AS count
