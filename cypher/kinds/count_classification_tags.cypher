// Counts the tags of classifications, nested ones included.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { (n)-[:CONTAINS]->(t:Tag WHERE NOT t.deleted) } AS count
