// Reads where records stand: themselves and everything above them, their domains, inherited ones too, and the data
// products that have them.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN
  id,
  COLLECT {
    MATCH way = (n)<-[:CONTAINS*0..50]-(above:Entity)
    RETURN above{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType, distance: length(way)}
  } AS above,
  COLLECT {
    MATCH way = (n)<-[:CONTAINS*0..50]-(:Entity)-[:IN_DOMAIN]->(domain:Entity)
    WHERE NOT domain.deleted
    RETURN domain{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, distance: length(way)}
  } AS domains,
  [(n)<-[:HAS_ASSET]-(product:Entity) WHERE NOT product.deleted |
    product{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}] AS products
