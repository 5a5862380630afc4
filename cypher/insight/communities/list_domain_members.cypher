// Lists the domains by name, each with the records that are in it themselves.
MATCH (domain:Entity)
USING INDEX SEEK domain:Entity(entityType, fullyQualifiedName)
WHERE domain.entityType = $entityType AND domain.fullyQualifiedName > ''
  AND NOT domain.deleted
RETURN domain{.id, .name, .fullyQualifiedName, .displayName} AS domain,
  [(domain)<-[:IN_DOMAIN]-(n:Entity) | n.id] AS ids
ORDER BY domain.fullyQualifiedName
