package jdk.nashorn.api.scripting;

/** Maxwell asks whether values are of this class, which left the JDK with Java 15; nothing ever is. */
public abstract class ScriptObjectMirror {
    public abstract boolean isArray();

    public abstract java.util.Collection<Object> values();

    public abstract java.util.Set<java.util.Map.Entry<String, Object>> entrySet();
}
