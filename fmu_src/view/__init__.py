"""The 3-D view: a scene in motion as one HTML page that works offline, as a glTF file, as a video."""
