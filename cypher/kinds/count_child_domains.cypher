// Counts the sub-domains of domains at every depth.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { (n)-[:CONTAINS*1..50]->(:Domain) } AS count
