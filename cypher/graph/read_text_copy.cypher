// Reads a copy of a long text in its stored form.
MATCH (copy:TextCopy {id: $id})
RETURN copy.text AS text
