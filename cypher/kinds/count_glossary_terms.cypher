// Counts the terms of glossaries, nested ones included.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { (n)-[:CONTAINS]->(t:GlossaryTerm WHERE NOT t.deleted) } AS count
