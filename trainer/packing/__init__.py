"""Packs a folder of images into TFRecord shards. Standard library only."""
