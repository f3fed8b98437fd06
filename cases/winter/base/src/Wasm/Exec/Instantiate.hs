-- | From a valid module and what it imports to an instance.
module Wasm.Exec.Instantiate
  ( instantiate
  ) where

import Control.Monad (forM, forM_, zipWithM)
import Data.Array (Array, listArray, (!))
import qualified Data.ByteString as B
import qualified Data.IntMap as IntMap
import qualified Data.Map as Map
import Data.Maybe (catMaybes)

import Wasm.Exec.Eval
import Wasm.Exec.Memory
import Wasm.Exec.Monad
import Wasm.Exec.Runtime
import Wasm.Link
import Wasm.Syntax

-- | All segments are checked before the first is written, as version 1.0 of
-- the specification demands.
instantiate
  :: MonadRef m
  => m Int -> (Name -> Name -> m (Maybe (Extern m))) -> Module -> m (Either InstantiationError (ModuleInst m))
instantiate budget offered m = do
  imported <- resolve typed m
  case imported of
    Left e -> pure (Left e)
    Right externs -> do
      memories <- mapM newMemory (modMemories m)
      if length (catMaybes memories) < length memories
        then pure (Left (Unlinkable ("a memory of so many pages cannot be had: the limit is " ++ show pageLimit)))
        else build externs (catMaybes memories)
  where
    typed from name = do
      found <- offered from name
      case found of
        Nothing -> pure Nothing
        Just x -> do
          t <- typeOfExtern x
          pure (Just (t, x))

    build externs memories = do
      tables <- forM (modTables m) $ \(Limits low high) -> TableInst low high <$> newRef IntMap.empty
      let importedGlobalInsts = [g | GlobalExtern g <- externs]
      globals <- forM (modGlobals m) $ \(GlobalDef t e) -> do
        v <- constant importedGlobalInsts e
        GlobalInst t <$> newRef v
      let types = array (modTypes m)
          inst = ModuleInst
            { instTypes = types
            , instFuncs = array ([f | FuncExtern f <- externs] ++ [WasmFunc (types ! funcType f) inst f | f <- modFuncs m])
            , instTables = [t | TableExtern t <- externs] ++ tables
            , instMemories = [x | MemoryExtern x <- externs] ++ memories
            , instGlobals = array (importedGlobalInsts ++ globals)
            , instExports = Map.fromList [(name, export inst desc) | Export name desc <- modExports m]
            }
      elemOffsets <- mapM (offset importedGlobalInsts . segOffset) (modElems m)
      dataOffsets <- mapM (offset importedGlobalInsts . segOffset) (modDatas m)
      elemsFit <- pure (and (zipWith (elemFits inst) elemOffsets (modElems m)))
      datasFit <- and <$> zipWithM (dataFits inst) dataOffsets (modDatas m)
      if not elemsFit
        then pure (Left (Unlinkable "elements segment does not fit"))
        else if not datasFit
          then pure (Left (Unlinkable "data segment does not fit"))
          else do
            forM_ (zip elemOffsets (modElems m)) $ \(at, s) -> do
              let table = instTables inst !! segIndex s
              content <- readRef (tableContent table)
              let new = IntMap.fromList (zip [at ..] (map (instFuncs inst !) (segContent s)))
              writeRef (tableContent table) $! IntMap.union new content
            forM_ (zip dataOffsets (modDatas m)) $ \(at, s) ->
              writeSegment (instMemories inst !! segIndex s) at (segContent s)
            start inst

    start inst = case modStart m of
      Nothing -> pure (Right inst)
      Just f -> do
        result <- invoke budget (instFuncs inst ! f) []
        pure (either (Left . StartTrapped) (const (Right inst)) result)

elemFits :: ModuleInst m -> Int -> Segment [Int] -> Bool
elemFits inst at s = at + length (segContent s) <= fromIntegral (tableSize (instTables inst !! segIndex s))

dataFits :: MonadRef m => ModuleInst m -> Int -> Segment B.ByteString -> m Bool
dataFits inst at s = do
  size <- memoryBytes (instMemories inst !! segIndex s)
  pure (at + B.length (segContent s) <= size)

array :: [a] -> Array Int a
array xs = listArray (0, length xs - 1) xs

export :: ModuleInst m -> ExportDesc -> Extern m
export inst desc = case desc of
  ExportFunc i -> FuncExtern (instFuncs inst ! i)
  ExportTable i -> TableExtern (instTables inst !! i)
  ExportMemory i -> MemoryExtern (instMemories inst !! i)
  ExportGlobal i -> GlobalExtern (instGlobals inst ! i)

-- | The value of a constant expression.
constant :: MonadRef m => [GlobalInst m] -> [Instr] -> m Value
constant globals e = case e of
  [Const v] -> pure v
  [GlobalGet i] -> readRef (globalContent (globals !! i))
  _ -> error "not a constant expression: the validator should have refused the module"

offset :: MonadRef m => [GlobalInst m] -> [Instr] -> m Int
offset globals e = do
  v <- constant globals e
  case v of
    I32 w -> pure (fromIntegral w)
    _ -> error "an offset that is no i32: the validator should have refused the module"
