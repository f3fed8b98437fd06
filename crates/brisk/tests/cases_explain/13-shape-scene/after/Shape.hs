module Shape
  ( AnyShape
  , circle
  , box
  , segment
  , moveBy
  , weight
  ) where

data AnyShape
  = Circle !Double !Double !Double
  | Box !Double !Double !Double !Double
  | Segment !Double !Double !Double

circle :: Double -> Double -> Double -> AnyShape
circle = Circle

box :: Double -> Double -> Double -> Double -> AnyShape
box = Box

segment :: Double -> Double -> Double -> AnyShape
segment = Segment

area :: AnyShape -> Double
area (Circle _ _ r) = 3 * r * r
area (Box _ _ w h) = w * h
area Segment {} = 0

centre :: AnyShape -> (Double, Double)
centre (Circle x y _) = (x, y)
centre (Box x y w h) = (x + w / 2, y + h / 2)
centre (Segment x y l) = (x + l / 2, y)

moveBy :: Double -> Double -> AnyShape -> AnyShape
moveBy dx dy (Circle x y r) = Circle (x + dx) (y + dy) r
moveBy dx dy (Box x y w h) = Box (x + dx) (y + dy) w h
moveBy dx dy (Segment x y l) = Segment (x + dx) (y + dy) l

weight :: AnyShape -> Double
weight s = area s + cx * 0.5 + cy * 0.25
  where
    (cx, cy) = centre s
