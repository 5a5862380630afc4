// Lists a batch of texts, ordered by node id, that contain parts not sealed by the current key.
MATCH (n:${LABEL})
WHERE n.id > $after AND properties(n)[$property] CONTAINS 'tributary-sealed:'
  AND size(split(properties(n)[$property], 'tributary-sealed:')) > size(split(properties(n)[$property], $current))
RETURN n.id AS id, properties(n)[$property] AS text
ORDER BY n.id
LIMIT toInteger($limit)
