// Lists records of one kind whose name, display name or fully qualified name equals one of some lower-case texts.
MATCH (n:${LABEL})
WHERE toLower(n.name) IN $texts OR toLower(n.displayName) IN $texts OR toLower(n.fullyQualifiedName) IN $texts
RETURN n.id AS id, n.name AS name, n.displayName AS displayName, n.fullyQualifiedName AS fullyQualifiedName
