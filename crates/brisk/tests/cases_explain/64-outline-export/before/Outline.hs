module Outline (Item (..), thread, export) where

import Control.Monad.Writer

-- | A comment and the one it replies to; long threads are chains of replies.
data Item = Item
  { author  :: String
  , body    :: Int
  , parents :: Maybe Item
  , asides  :: [Item]
  }

thread :: Int -> Item
thread n = go n
  where
    go k = Item
      { author  = names !! (k `mod` length names)
      , body    = (k * k) `mod` 1009
      , parents = if k <= 1 then Nothing else Just (go (k - 1))
      , asides  = [ Item "bot" k Nothing [] | k `mod` 5 == 0 ]
      }
    names = ["ann", "bob", "cy"]

-- | The thread as lines, oldest comment first.
export :: Item -> [String]
export = execWriter . item

item :: Item -> Writer [String] ()
item it = do
  maybe (return ()) item (parents it)
  tell [author it ++ ": " ++ show (body it)]
  forM_ (asides it) $ \a -> do
    tell ["  -- aside"]
    item a
