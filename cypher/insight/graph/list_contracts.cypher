// Lists a page of the living contracts by name, each with the record that it belongs to.
MATCH (contract:Entity)
USING INDEX SEEK contract:Entity(entityType, fullyQualifiedName)
WHERE contract.entityType = $entityType AND contract.fullyQualifiedName > $after
  AND NOT contract.deleted
WITH contract ORDER BY contract.entityType, contract.fullyQualifiedName
LIMIT toInteger($limit)
MATCH (n:Entity)-[:HAS_CONTRACT]->(contract)
RETURN collect(n.id) AS ids, collect(contract.id) AS contractIds, max(contract.fullyQualifiedName) AS last
