// Counts the records that belong to data products.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { (n)-[:HAS_ASSET]->(:Entity) } AS count
