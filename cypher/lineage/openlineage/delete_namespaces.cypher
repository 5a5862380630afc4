// Removes the assignments of namespaces.
UNWIND $rows AS row
MATCH (namespace:OpenLineageNamespace {name: row.name})
DETACH DELETE namespace
RETURN row.at AS at
