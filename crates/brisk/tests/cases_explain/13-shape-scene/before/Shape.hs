{-# LANGUAGE ExistentialQuantification #-}

module Shape
  ( AnyShape
  , circle
  , box
  , segment
  , moveBy
  , weight
  ) where

class Shape s where
  area :: s -> Double
  centre :: s -> (Double, Double)
  shift :: Double -> Double -> s -> s

data Circle = Circle !Double !Double !Double

data Box = Box !Double !Double !Double !Double

data Segment = Segment !Double !Double !Double

instance Shape Circle where
  area (Circle _ _ r) = 3 * r * r
  centre (Circle x y _) = (x, y)
  shift dx dy (Circle x y r) = Circle (x + dx) (y + dy) r

instance Shape Box where
  area (Box _ _ w h) = w * h
  centre (Box x y w h) = (x + w / 2, y + h / 2)
  shift dx dy (Box x y w h) = Box (x + dx) (y + dy) w h

instance Shape Segment where
  area _ = 0
  centre (Segment x y l) = (x + l / 2, y)
  shift dx dy (Segment x y l) = Segment (x + dx) (y + dy) l

data AnyShape = forall s. Shape s => AnyShape s

circle :: Double -> Double -> Double -> AnyShape
circle x y r = AnyShape (Circle x y r)

box :: Double -> Double -> Double -> Double -> AnyShape
box x y w h = AnyShape (Box x y w h)

segment :: Double -> Double -> Double -> AnyShape
segment x y l = AnyShape (Segment x y l)

moveBy :: Double -> Double -> AnyShape -> AnyShape
moveBy dx dy (AnyShape s) = AnyShape (shift dx dy s)

weight :: AnyShape -> Double
weight (AnyShape s) = area s + cx * 0.5 + cy * 0.25
  where
    (cx, cy) = centre s
