// Answers a copy of a long text as it is stored.
MATCH (copy:TextCopy {id: $id})
RETURN copy.text AS text
