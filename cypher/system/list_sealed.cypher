// Lists some texts in the order of the ids of their nodes that hold more sealed parts than the current key has sealed.
MATCH (n:${LABEL})
WHERE n.id > $after AND properties(n)[$property] CONTAINS 'tributary-sealed:'
  AND size(split(properties(n)[$property], 'tributary-sealed:')) > size(split(properties(n)[$property], $current))
RETURN n.id AS id, properties(n)[$property] AS text
ORDER BY n.id
LIMIT toInteger($limit)
