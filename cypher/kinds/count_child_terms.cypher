// Counts the terms right below terms.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { (n)-[:PARENT_OF]->(t:GlossaryTerm WHERE NOT t.deleted) } AS count
